defmodule Pipeline.MixProject do
  use Mix.Project

  def project do
    [app: :pipeline, version: "1.0.0"]
  end
end
