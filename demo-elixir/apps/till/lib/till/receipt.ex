defmodule Till.Receipt do
  @moduledoc "What the customer takes home. Hot spot: strings."

  def print(basket, cents) do
    lines =
      basket
      |> Enum.sort_by(&Till.Priced.cents/1, :desc)
      |> Enum.map_join("\n", &line/1)

    String.length(lines <> "\ntotal " <> Money.format(cents))
  end

  defp line(item), do: String.pad_trailing(name(item), 24) <> Money.format(Till.Priced.cents(item))

  defp name(%Till.Book{title: title}), do: String.capitalize(title)
  defp name(%Till.Fruit{name: name}), do: String.upcase(name)
end
