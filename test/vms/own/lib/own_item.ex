defmodule OwnMarket.Item do
  defstruct cents: 0

  defimpl OwnPrice do
    require OwnDep

    def cents(%{cents: cents}), do: mixed(300, cents)

    defp mixed(0, cents), do: cents

    defp mixed(count, cents) do
      # hot: OwnPrice.OwnMarket.Item.mixed/2
      mixed(count - 1, OwnDep.steps(OwnDep.steps(cents)))
    end
  end
end
