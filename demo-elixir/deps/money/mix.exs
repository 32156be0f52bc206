defmodule Money.MixProject do
  use Mix.Project

  def project do
    [app: :money, version: "1.2.0", deps: []]
  end
end
