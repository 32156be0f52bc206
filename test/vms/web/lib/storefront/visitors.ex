defmodule Storefront.Visitors do
  @moduledoc "Visitors that search again and again, over HTTP, with a rest in between."
  use Supervisor

  @queries ~w(ambre brich cedra duen)

  def start_link(count), do: Supervisor.start_link(__MODULE__, count)

  @impl true
  def init(count) do
    visitors = for number <- 1..count, do: Supervisor.child_spec({Task, fn -> visit(@queries, number) end}, id: number)
    Supervisor.init(visitors, strategy: :one_for_one)
  end

  defp visit([query | rest], number) do
    {:ok, socket} = :gen_tcp.connect(~c"127.0.0.1", StorefrontWeb.Endpoint.port(), [:binary, active: false])
    :ok = :gen_tcp.send(socket, "GET /search?words=#{query}+north HTTP/1.1\r\nhost: shop\r\n\r\n")
    {:ok, _answer} = :gen_tcp.recv(socket, 0)
    :ok = :gen_tcp.close(socket)
    Process.sleep(100)
    visit(rest ++ [query], number)
  end
end
