defmodule Reports.MixProject do
  use Mix.Project

  def project do
    [
      app: :reports,
      version: "0.1.0",
      build_path: "../../_build",
      deps_path: "../../deps",
      lockfile: "../../mix.lock",
      deps: [{:till, in_umbrella: true}]
    ]
  end

  def application do
    [mod: {Reports.Application, []}]
  end
end
