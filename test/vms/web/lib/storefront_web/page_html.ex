defmodule StorefrontWeb.PageHTML do
  @moduledoc "Pages, from templates."
  require EEx

  @templates Path.join(__DIR__, "templates")

  EEx.function_from_file(:def, :results, Path.join(@templates, "results.html.eex"), [:words, :found])
  EEx.function_from_file(:def, :missing, Path.join(@templates, "missing.html.eex"), [:path])

  def price(cents), do: "#{div(cents, 100)}.#{cents |> rem(100) |> Integer.to_string() |> String.pad_leading(2, "0")}"
end
