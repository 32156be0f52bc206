defmodule Till.MixProject do
  use Mix.Project

  def project do
    [
      app: :till,
      version: "0.1.0",
      build_path: "../../_build",
      deps_path: "../../deps",
      lockfile: "../../mix.lock",
      consolidate_protocols: true,
      deps: [{:money, path: "../../deps/money"}]
    ]
  end

  def application do
    [mod: {Till.Application, []}]
  end
end
