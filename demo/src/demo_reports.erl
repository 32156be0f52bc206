%% Sales reports. Hot spot: many short-lived processes, each with a heap of its own.
-module(demo_reports).
-behaviour(gen_server).

-export([start_link/0, sales_by_region/0]).
-export([init/1, handle_call/3, handle_cast/2]).

-define(REGIONS, 12).
-define(SALES_PER_REGION, 900).

-spec start_link() -> {ok, pid()} | {error, term()}.
start_link() ->
    gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).

-spec sales_by_region() -> [{Region :: pos_integer(), Cents :: non_neg_integer()}].
sales_by_region() ->
    gen_server:call(?MODULE, sales_by_region).

-spec init([]) -> {ok, []}.
init([]) ->
    {ok, []}.

handle_call(sales_by_region, _From, State) ->
    Counters = [spawn_monitor(fun() -> exit({sales, Region, region_total(Region)}) end)
                || Region <- lists:seq(1, ?REGIONS)],
    {reply, [collect(Counter) || Counter <- Counters], State}.

handle_cast(_Message, State) ->
    {noreply, State}.

collect({Pid, Monitor}) ->
    receive
        {'DOWN', Monitor, process, Pid, {sales, Region, Cents}} -> {Region, Cents}
    end.

region_total(Region) ->
    ByDay = group_by_day(sales(Region), #{}),
    maps:fold(fun(_Day, Sales, Sum) -> Sum + lists:sum(Sales) end, 0, ByDay).

sales(Region) ->
    [{(Region * N) rem 31, [{cents, (Region * N * 7919) rem 9000}, {region, Region}]}
     || N <- lists:seq(1, ?SALES_PER_REGION)].

group_by_day([], ByDay) ->
    ByDay;
group_by_day([{Day, Facts} | Sales], ByDay) ->
    {cents, Cents} = lists:keyfind(cents, 1, Facts),
    group_by_day(Sales, maps:update_with(Day, fun(Before) -> [Cents | Before] end, [Cents], ByDay)).
