defmodule Reports.Daily do
  @moduledoc "What sold best. Hot spot: grouping and sorting."
  use Task, restart: :permanent

  @pause_ms 20

  def start_link(_options), do: Task.start_link(__MODULE__, :run, [])

  def run do
    _best = best_sellers(Till.Stock.sales())
    Process.sleep(@pause_ms)
    run()
  end

  def best_sellers(sales) do
    sales
    |> Enum.group_by(fn {number, _count} -> rem(number, 31) end)
    |> Enum.map(fn {shelf, sold} -> {shelf, total(sold)} end)
    |> Enum.sort_by(fn {_shelf, count} -> count end, :desc)
  end

  defp total(sold) do
    for {_number, count} <- sold, reduce: 0 do
      sum -> sum + count
    end
  end
end
