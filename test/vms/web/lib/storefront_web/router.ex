defmodule StorefrontWeb.Router do
  @moduledoc false
  alias StorefrontWeb.{PageHTML, SearchController}

  def call(conn), do: Pipeline.run(conn, [&SearchController.words/1, &route/1])

  defp route(%Pipeline{method: "GET", path: ["search"]} = conn), do: SearchController.index(conn)
  defp route(conn), do: Pipeline.respond(conn, 404, PageHTML.missing(conn.path))
end
