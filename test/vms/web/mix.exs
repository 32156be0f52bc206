defmodule Storefront.MixProject do
  use Mix.Project

  def project do
    [app: :storefront, version: "0.1.0", deps: [{:pipeline, path: "deps/pipeline"}]]
  end

  def application do
    [mod: {Storefront.Application, []}]
  end
end
