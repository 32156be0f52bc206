# A dependency: none of its own functions is the user's, but what its macros make of theirs is.
defmodule OwnDep do
  defmacro __using__(_) do
    quote location: :keep do
      require OwnDep

      def made_elsewhere(0), do: 0

      def made_elsewhere(count) do
        _ = OwnDep.steps(count)
        made_elsewhere(count - 1)
      end
    end
  end

  defmacro steps(x) do
    Enum.reduce(1..8, x, fn _, x -> quote(do: :erlang.band(unquote(x) * 1_103_515 + 12_345, 67_108_863)) end)
  end
end
