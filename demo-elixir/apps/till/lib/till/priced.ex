defprotocol Till.Priced do
  @doc "What one of it costs, in cents."
  def cents(item)
end

defmodule Till.Book do
  defstruct [:title, :pages]
end

defmodule Till.Fruit do
  defstruct [:name, :grams]
end

defimpl Till.Priced, for: Till.Book do
  def cents(%{title: title, pages: pages}), do: pages * 3 + letters(String.graphemes(title), 0)

  defp letters([], sum), do: sum
  defp letters([_ | rest], sum), do: letters(rest, sum + 1)
end

defimpl Till.Priced, for: Till.Fruit do
  def cents(%{grams: grams}), do: div(grams * 299, 1_000)
end
