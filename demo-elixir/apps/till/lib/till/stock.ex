defmodule Till.Stock do
  @moduledoc "All there is to buy. Hot spot: answers are copied to those who ask."
  use GenServer

  @items 1_000

  def start_link(_options), do: GenServer.start_link(__MODULE__, [], name: __MODULE__)

  @doc "The items of these numbers."
  def take(numbers), do: GenServer.call(__MODULE__, {:take, numbers})

  @doc "Everything, as often as it was taken."
  def sales, do: GenServer.call(__MODULE__, :sales)

  @impl true
  def init([]), do: {:ok, {Map.new(0..(@items - 1), &{&1, item(&1)}), %{}}}

  @impl true
  def handle_call({:take, numbers}, _from, {items, sales}) do
    taken = Enum.map(numbers, &Map.fetch!(items, &1))
    sales = Enum.reduce(numbers, sales, fn number, sales -> Map.update(sales, number, 1, &(&1 + 1)) end)
    {:reply, taken, {items, sales}}
  end

  def handle_call(:sales, _from, {_items, sales} = state), do: {:reply, sales, state}

  defp item(number) when rem(number, 2) == 0, do: %Till.Book{title: "volume #{number} of a long shelf", pages: 80 + rem(number * 37, 400)}
  defp item(number), do: %Till.Fruit{name: "fruit number #{number}", grams: 50 + rem(number * 61, 900)}
end
