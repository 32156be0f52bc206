defmodule StorefrontWeb.SearchController do
  @moduledoc false
  alias Storefront.Catalog
  alias StorefrontWeb.PageHTML

  def words(%Pipeline{query: query} = conn),
    do: Pipeline.assign(conn, :words, query |> Map.get("words", "") |> String.split())

  def index(%Pipeline{assigns: %{words: words}} = conn),
    do: Pipeline.respond(conn, 200, PageHTML.results(words, Catalog.search(words)))
end
