defmodule Reports.Application do
  @moduledoc false
  use Application

  @impl true
  def start(_type, _arguments) do
    Supervisor.start_link([Reports.Daily], strategy: :one_for_one, name: Reports.Supervisor)
  end
end
