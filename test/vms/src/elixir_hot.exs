# Elixir names in a capture: a function, a closure of it and an Enum call, all of them busy.
defmodule ElixirHot.Shop do
  def run(prices) do
    total = discounted(prices, 7)
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

spawn_link(ElixirHot.Shop, :run, [Enum.to_list(1..500)])
:gt_control.serve(fn -> %{work: "ElixirHot.Shop"} end)
