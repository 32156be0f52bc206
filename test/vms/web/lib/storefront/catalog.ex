defmodule Storefront.Catalog do
  @moduledoc "Products, found by words."
  use Agent

  @words ~w(amber birch cedar dune ember fjord grove heath islet jade kelp lark moss north opal pine quartz reed)

  def start_link(_options), do: Agent.start_link(&products/0, name: __MODULE__)

  def search(words) do
    Agent.get(__MODULE__, & &1)
    |> Enum.map(fn product -> {score(product.title, words), product} end)
    |> Enum.sort_by(fn {score, product} -> {-score, product.cents} end)
    |> Enum.take(20)
  end

  defp score(title, words) do
    title
    |> String.split(" ")
    |> Enum.map(fn part -> words |> Enum.map(&String.jaro_distance(part, &1)) |> Enum.max() end)
    |> Enum.sum()
  end

  defp products do
    for first <- @words, second <- @words, first != second do
      %{title: "#{first} #{second}", cents: :erlang.phash2({first, second}, 10_000)}
    end
  end
end
