defmodule Money do
  @moduledoc "Sums in cents: a dependency of the till, with macros that expand in its code."

  defmacro __using__(_options) do
    quote do
      import Money

      def in_cents(prices), do: Money.sum(prices)
    end
  end

  @doc "A share of a sum, rounded down; written out where it is used."
  defmacro share(cents, percent) do
    quote do
      div(unquote(cents) * unquote(percent), 100)
    end
  end

  def sum(prices), do: Enum.reduce(prices, 0, &(&1 + &2))

  def format(cents), do: "#{div(cents, 100)}.#{String.pad_leading(Integer.to_string(rem(cents, 100)), 2, "0")}"
end
