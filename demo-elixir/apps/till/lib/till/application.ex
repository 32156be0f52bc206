defmodule Till.Application do
  @moduledoc false
  use Application

  @customers 4

  @impl true
  def start(_type, _arguments) do
    customers = for number <- 1..@customers, do: Supervisor.child_spec({Till.Customer, number}, id: number)
    Supervisor.start_link([Till.Stock | customers], strategy: :one_for_one, name: Till.Supervisor)
  end
end
