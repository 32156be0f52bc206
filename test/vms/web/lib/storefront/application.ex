defmodule Storefront.Application do
  @moduledoc false
  use Application

  @impl true
  def start(_type, _arguments) do
    children = [Storefront.Catalog, StorefrontWeb.Endpoint, {Storefront.Visitors, 3}]
    Supervisor.start_link(children, strategy: :one_for_one, name: Storefront.Supervisor)
  end
end
