defmodule Till.Customer do
  @moduledoc "Fills a basket, asks for its price, buys, and comes back."
  use Task, restart: :permanent

  @pause_ms 1
  @basket 40

  def start_link(number), do: Task.start_link(__MODULE__, :shop, [number, 1])

  def shop(number, visit) do
    basket = Till.Stock.take(for place <- 1..@basket, do: rem(number * visit + place * 7, 1_000))
    cents = Till.Pricing.total(basket)
    Till.Receipt.print(basket, cents)
    Process.sleep(@pause_ms)
    shop(number, visit + 1)
  end
end
