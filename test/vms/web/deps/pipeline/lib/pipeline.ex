defmodule Pipeline do
  @moduledoc "A request goes through functions, one after the other."

  defstruct method: "", path: [], query: %{}, assigns: %{}, status: nil, body: ""

  def request(line) do
    [method, target, _version] = String.split(line, " ")
    uri = URI.parse(target)
    path = String.split(uri.path, "/", trim: true)
    %Pipeline{method: method, path: path, query: URI.decode_query(uri.query || "")}
  end

  def run(%Pipeline{} = conn, plugs), do: Enum.reduce(plugs, conn, fn plug, conn -> plug.(conn) end)

  def assign(%Pipeline{assigns: assigns} = conn, key, value), do: %{conn | assigns: Map.put(assigns, key, value)}

  def respond(%Pipeline{} = conn, status, body), do: %{conn | status: status, body: body}
end
