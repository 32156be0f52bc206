# Elixir code whose hot lines are known: a comment above each says in which function it is.
defmodule OwnMarket do
  use OwnDep

  def all(numbers, stock) do
    [reduced(numbers), reduced_bytes(bytes(numbers)), grouped(numbers), expanded(numbers), made_elsewhere(20_000), dispatched(numbers), priced(stock)]
  end

  def stock, do: Enum.map(1..20, &%OwnMarket.Item{cents: &1})

  defp bytes(numbers), do: :erlang.list_to_binary(Enum.map(numbers, &rem(&1, 256)))

  defp reduced(numbers) do
    for number <- numbers, reduce: 0 do
      sum ->
        # hot: anonymous fn/2 in OwnMarket.reduced/1
        OwnDep.steps(OwnDep.steps(OwnDep.steps(OwnDep.steps(sum + number))))
    end
  end

  defp reduced_bytes(bytes) do
    for <<byte <- bytes>>, reduce: 0 do
      sum ->
        # hot: for in OwnMarket.reduced_bytes/1
        OwnDep.steps(OwnDep.steps(OwnDep.steps(OwnDep.steps(OwnDep.steps(OwnDep.steps(OwnDep.steps(OwnDep.steps(sum + byte))))))))
    end
  end

  defp grouped(numbers) do
    # hot: OwnMarket.grouped/1
    sorted = Enum.sort(numbers ++ numbers ++ numbers, :desc) |> Enum.reverse() |> Enum.dedup() |> Enum.chunk_every(2)
    length(sorted)
  end

  # A macro of a dependency counts where it was written.
  defp expanded([]), do: 0

  defp expanded([number | numbers]) do
    # hot: OwnMarket.expanded/1
    mixed = OwnDep.steps(OwnDep.steps(OwnDep.steps(OwnDep.steps(number))))
    mixed + expanded(numbers)
  end

  # Looking for the implementation is the protocol's work, which the caller asked for.
  defp dispatched([]), do: 0

  defp dispatched([number | numbers]) do
    # hot: OwnMarket.dispatched/1
    cents = OwnPrice.cents(number)
    cents + dispatched(numbers)
  end

  defp priced([]), do: 0
  defp priced([item | stock]), do: OwnPrice.cents(item) + priced(stock)
end
