defmodule Till.Pricing do
  @moduledoc "The best price for a basket. Hot spot: recursion of its own, and Enum."
  use Money

  @vouchers [percent: 5, minus: 250, percent: 3, minus: 120, percent: 10, minus: 99, percent: 2, minus: 400, percent: 7]

  def total(basket) do
    prices = Enum.map(basket, &Till.Priced.cents/1)
    cheapest = best_price(in_cents(prices), @vouchers)

    for price <- prices, reduce: cheapest do
      cents -> cents - small_discount(price)
    end
  end

  # Tries every subset: twice the work for each voucher more.
  def best_price(cents, []), do: cents

  def best_price(cents, [voucher | rest]) do
    kept = best_price(cents, rest)
    spent = best_price(redeem(cents, voucher), rest)
    min(kept, spent)
  end

  defp redeem(cents, {:percent, percent}), do: cents - share(cents, percent)
  defp redeem(cents, {:minus, off}) when cents > off, do: cents - off
  defp redeem(_cents, {:minus, _off}), do: 0

  defp small_discount(price) when price > 500, do: share(price, 1)
  defp small_discount(_price), do: 0
end
