defprotocol OwnPrice do
  def cents(priced)
end

defimpl OwnPrice, for: Integer do
  def cents(number), do: number
end
