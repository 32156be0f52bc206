defmodule StorefrontWeb.Endpoint do
  @moduledoc "Listens on a free port of the loopback, with a process for each request."
  use GenServer

  def start_link(_options), do: GenServer.start_link(__MODULE__, [], name: __MODULE__)

  def port, do: :persistent_term.get({__MODULE__, :port})

  @impl true
  def init([]) do
    {:ok, listener} = :gen_tcp.listen(0, [:binary, packet: :line, active: false, ip: {127, 0, 0, 1}, backlog: 64])
    {:ok, port} = :inet.port(listener)
    :persistent_term.put({__MODULE__, :port}, port)
    spawn_link(fn -> accept(listener) end)
    {:ok, listener}
  end

  defp accept(listener) do
    {:ok, socket} = :gen_tcp.accept(listener)
    :ok = :gen_tcp.controlling_process(socket, spawn(fn -> serve(socket) end))
    accept(listener)
  end

  defp serve(socket) do
    {:ok, line} = :gen_tcp.recv(socket, 0)
    %Pipeline{status: status, body: body} = line |> String.trim() |> Pipeline.request() |> StorefrontWeb.Router.call()
    :gen_tcp.send(socket, "HTTP/1.1 #{status} \r\ncontent-length: #{byte_size(body)}\r\n\r\n#{body}")
    :gen_tcp.close(socket)
  end
end
