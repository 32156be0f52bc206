# Elixir names in a capture: a function, a closure of it and an Enum call, all of them busy.
defmodule ElixirHot.Shop do
  def run(prices) do
    total = discounted(prices, 7) + ElixirHot.Parts.all(prices)
    run(prices ++ [rem(total, 2)] |> tl())
  end

  def discounted(prices, percent) do
    sum = Enum.reduce(prices, 0, fn price, sum -> sum + step(price, percent) end)
    sum + 1
  end

  def step(price, percent), do: steps(200, price * (100 - percent))

  defp steps(0, x), do: x
  defp steps(count, x), do: steps(count - 1, rem(x * 1_103_515 + 12_345, 67_108_863))
end

# The other kinds of functions that Elixir makes, each with some work of its own.
defprotocol ElixirHot.Price do
  def rounded(price)
end

defimpl ElixirHot.Price, for: Integer do
  def rounded(0), do: 0
  def rounded(price), do: rem(rounded(price - 1) * 1_103_515 + 12_345, 67_108_863)
end

defmodule ElixirHot.Macros do
  defmacro mixed(count) do
    mixed = Enum.reduce(1..count, 1, fn _, x -> rem(x * 1_103_515 + 12_345, 67_108_863) end)
    rem(mixed, 1_000)
  end
end

defmodule ElixirHot.Parts do
  def all(prices), do: protocol() + closure(2_000) + comprehension(prices) + expansion()

  # Dispatching is short: it takes many calls to be seen at it.
  defp protocol, do: ElixirHot.Price.rounded(2_000) + dispatched(2_000, 0)

  defp dispatched(0, sum), do: sum
  defp dispatched(count, sum), do: dispatched(count - 1, sum + ElixirHot.Price.rounded(0))

  defp closure(count) do
    mix = fn mix, left, x ->
      if left == 0, do: x, else: mix.(mix, left - 1, rem(x * 1_103_515 + 12_345, 67_108_863))
    end

    mix.(mix, count, 1)
  end

  defp comprehension(prices) do
    bytes = for _ <- 1..4, price <- prices, into: "", do: <<rem(price, 256)>>
    for(<<byte <- bytes>>, into: "", do: <<rem(byte * 7 + 1, 256)>>) |> reduced()
  end

  defp reduced(bytes) do
    for <<byte <- bytes>>, reduce: 0 do
      sum -> rem(sum * 7 + byte, 67_108_863)
    end
  end

  # What the compiler does with a macro: it calls this function.
  defp expansion, do: apply(ElixirHot.Macros, :"MACRO-mixed", [__ENV__, 2_000])
end

spawn_link(ElixirHot.Shop, :run, [Enum.to_list(1..500)])
:gt_control.serve(fn -> %{work: "ElixirHot.Shop"} end)
