# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_extrospect_global_optspecs
    string join \n h/help V/version
end

function __fish_extrospect_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_extrospect_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_extrospect_using_subcommand
    set -l cmd (__fish_extrospect_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c extrospect -n "__fish_extrospect_needs_command" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_needs_command" -s V -l version -d 'Print version'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "list" -d 'List the Erlang VMs on this machine'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "doctor" -d 'Check the requirements of sampling, and with a process id whether that VM can be read'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "events" -d 'Show the events that can be recorded here, the reasons for others, and their cost; with a process id, of that VM'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "record" -d 'Record a capture of a running VM'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "detached" -d 'Captures that continue in the background (`record --detach`): list, stop, fetch or remove them'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "push" -d 'Send a capture, or another tool\'s profile, to a store of continuous profiles (Pyroscope, or any that takes OTLP profiles)'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "top" -d 'Show the functions that use the CPU'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "blame" -d 'Show which Erlang functions cause the time spent in a C function or group of them'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "diff" -d 'Compare captures of two versions: the changes, and whether they are significant'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "import" -d 'Convert a profile of another tool to a capture: perf.data, perf script text, folded stacks, eflambe, speedscope, .cpuprofile, JSON of samply and the Firefox Profiler, OTLP profiles. Other commands open them as they are, too'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "commit" -d 'Show the commit of a capture, compare its modules with the builds of a workspace, and assign a commit to a capture that was taken elsewhere'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "export" -d 'Write a capture, or the code map of a VM, in another tool\'s format'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "pstack" -d 'Show the current stack of each scheduler of a running VM'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "node" -d 'Show a running VM as a whole: schedulers, run queues, the fill of its tables'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "stat" -d 'Count what happens in a running VM, without samples: collections, reductions, switches, page faults'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "ps" -d 'Show the processes of a running VM: names, mailboxes, memory, current functions'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "heap" -d 'Show the heap of an Erlang process: its live part, and what keeps it alive'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "growth" -d 'Show what grows in a running VM while it is watched: processes, mailboxes, binaries, tables, atoms'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "waits" -d 'Show where the processes of a running VM wait, by stack, and write the waits as a profile'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "nodes" -d 'Show the nodes that a running VM knows: its cluster, connected or not'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "memory" -d 'Show the memory of a running VM by purpose: its allocators, their free memory, its ETS tables'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "binaries" -d 'Show which processes hold the binaries of a running VM, which have allocated them, and which binaries small parts keep alive'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "dump" -d 'Write the data read from a VM, one JSON object per line, for other tools to check'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "look" -d 'Look at one VM for `list`, which gives up a look that takes too long'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "sampler" -d 'Sample for the process that started it, as ordered on stdin'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "editor-compare" -d 'Compare captures for the editor that started it, which sends them on stdin'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "serve" -d 'Serve an editor: JSON-RPC on stdin and stdout'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "install" -d 'Install a copy with the rights that sampling needs, for the members of a group (root only)'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "uninstall" -d 'Remove the copy that `install` made (root only)'
complete -c extrospect -n "__fish_extrospect_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c extrospect -n "__fish_extrospect_using_subcommand list" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand list" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand doctor" -l debuginfod -d 'Fetch missing debug files by build id: from URL, else from the servers of DEBUGINFOD_URLS, of this distribution, or of elfutils.org. Servers learn the build ids of the files that the VM runs. Without this option, they are fetched if DEBUGINFOD_URLS is set' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand doctor" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand doctor" -l no-debuginfod -d 'Fetch no debug files'
complete -c extrospect -n "__fish_extrospect_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand events" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand events" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l push -d 'Send a profile every ten seconds to a store, instead of writing a file' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l buffer -d 'Folder for profiles that wait while the store is unavailable [default: below ~/.cache]' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l buffer-size -d 'Megabytes that may wait; beyond that the oldest are dropped, and counted' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l credentials -d 'A file with HTTP headers for the store, such as `Authorization: Bearer ...`; without it, they come from the variable EXTROSPECT_STORE_HEADERS' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l service -d 'Name of the profiled program in the store [default: the node\'s name without host]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l commit -d 'The commit that the code was built from, as a label [default: the commit in the capture, or the one that `record` finds in the folder of the sources; with --all only if --source-dir names one]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l label -d 'Another label; can be given several times' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -s d -l duration -d 'Seconds to sample; 0 until Ctrl-C' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -s F -l frequency -d 'Samples per second of each thread\'s CPU time' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l engine -d 'Source of the Erlang stack below C code' -r -f -a "auto\t'`bpf` where the kernel allows it, else `readv`'
bpf\t'Copied in the kernel at the sample itself: exact; needs CAP_BPF and CAP_PERFMON, or root'
readv\t'Read right after the sample; unproven stacks are marked'"
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l min-block -d 'Shortest time without a processor that is in the stacks (off-cpu): 100us, 2ms; shorter ones are counted [default: all are]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l debuginfod -d 'Fetch missing debug files by build id: from URL, else from the servers of DEBUGINFOD_URLS, of this distribution, or of elfutils.org. Servers learn the build ids of the files that the VM runs. Without this option, they are fetched if DEBUGINFOD_URLS is set' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l event -d 'What to record, several with commas between (`extrospect events` shows whether it can be); other commands show one of them (--type)' -r -f -a "cpu\t'Processor time'
off-cpu\t'The time that schedulers had no processor, with the calls that they waited in; needs engine bpf'
faults\t'Page faults, with the calls that touched the memory; needs engine bpf'"
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -s o -l output -d 'Where to write the capture [default: NODE-DATE-TIME-COMMIT.pb.gz]' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l source-dir -d 'Folder of the sources that the VM runs: the capture records the commit that its git repository has checked out, and the state of the sources [default: the current folder]' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l work-command -d 'Count work by a command, run when the capture begins and when it has ended: it prints one number, such as the orders so far. No shell runs it; quotes keep words together' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l work-metric -d 'Count work by a metric of a page in the Prometheus text format; its series are summed' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l work-url -d 'Address of the page with the metric' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l work-name -d 'The unit of work: `orders` [default: the metric, or the program]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l keep -d 'Keep only the last part, a duration (30min, 1h, 2d) or a size (500MB), or both by giving it twice: the capture goes to files NAME.00001-TIME.pb.gz and so on, each a complete capture, of which the oldest are removed, including those of earlier runs with the same name' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l when -d 'Write a capture only when this condition holds, with the samples before and after, one file each time (NAME.00001-TIME.pb.gz): comparisons (>, >=, <, <=) of mailbox (the largest), messages (all that wait), runqueue, memory, rss (8GB, 512MiB), processes, collections/s or reductions/s with a number, joined by "and" and "or". It is checked with each reading (--every)' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l before -d 'With --when: the time to keep from before the condition held (10s, 5min; at most 1h)' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l after -d 'With --when: the time to record after the condition held' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l max-files -d 'With --when: number of files; after the last one, the recording ends' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l every -d 'Seconds between readings of the VM as a whole (0.1 to 3600): the capture then has run queues, memory, mailboxes, collections and IO beside its samples. The interval grows if readings would cost more than one percent of a core' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l max-overhead -d 'The limit of the cost of sampling, percent of a core, of the helper or of the VM: above it, the rate is lowered, and the capture records that; "off" for no limit [default: 1% with -d 0, else off]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l detach -d 'Record in the background, under this name: the capture continues without this terminal or connection, until --duration is over or `extrospect detached stop NAME`; at most 24 h and 1 GiB. See `extrospect detached`' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l origin -d 'The sources that the VM was built from, as the starting process knows them' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l all -d 'Every VM of this machine, also those that start later; needs --push'
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l otlp -d 'Send OpenTelemetry\'s profiles by HTTP (OTLP), as collectors and Pyroscope take them, instead of pprof'
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l include-kernel -d 'Show kernel functions, not just `[kernel]`'
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l no-debuginfod -d 'Fetch no debug files'
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l recorder -d 'This is what records in the background'
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l force -d 'Replace the file if it exists'
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -l json -d 'Print a summary as JSON. The output of a COMMAND then goes to standard error'
complete -c extrospect -n "__fish_extrospect_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and not __fish_seen_subcommand_from list stop fetch remove help" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and not __fish_seen_subcommand_from list stop fetch remove help" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and not __fish_seen_subcommand_from list stop fetch remove help" -f -a "list" -d 'List them: yours, on this machine'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and not __fish_seen_subcommand_from list stop fetch remove help" -f -a "stop" -d 'End one; returns when its capture is complete'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and not __fish_seen_subcommand_from list stop fetch remove help" -f -a "fetch" -d 'Copy the samples recorded so far, also while it runs'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and not __fish_seen_subcommand_from list stop fetch remove help" -f -a "remove" -d 'Remove one that has ended, with its capture'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and not __fish_seen_subcommand_from list stop fetch remove help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from list" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from stop" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from stop" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from fetch" -s o -l output -d 'Where to write the capture [default: NAME.pb.gz]' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from fetch" -l force -d 'Replace the file if it exists'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from fetch" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from help" -f -a "list" -d 'List them: yours, on this machine'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from help" -f -a "stop" -d 'End one; returns when its capture is complete'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from help" -f -a "fetch" -d 'Copy the samples recorded so far, also while it runs'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from help" -f -a "remove" -d 'Remove one that has ended, with its capture'
complete -c extrospect -n "__fish_extrospect_using_subcommand detached; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c extrospect -n "__fish_extrospect_using_subcommand push" -l to -d 'The store' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand push" -l event -d 'The event of a perf recording that has several: `cpu-clock`' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand push" -l type -d 'The type of samples in a capture that has several: `off-cpu` [default: the first one]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand push" -l credentials -d 'A file with HTTP headers for the store, such as `Authorization: Bearer ...`; without it, they come from the variable EXTROSPECT_STORE_HEADERS' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand push" -l service -d 'Name of the profiled program in the store [default: the node\'s name without host]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand push" -l commit -d 'The commit that the code was built from, as a label [default: the commit in the capture, or the one that `record` finds in the folder of the sources; with --all only if --source-dir names one]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand push" -l label -d 'Another label; can be given several times' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand push" -l otlp -d 'Send OpenTelemetry\'s profiles by HTTP (OTLP), as collectors and Pyroscope take them, instead of pprof'
complete -c extrospect -n "__fish_extrospect_using_subcommand push" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -s n -l rows -d 'Rows to show; 0 for all' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l own -d 'Count for own code: a sample counts for the innermost function whose source is below DIR, including everything it called. Folders of dependencies in it are left out' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l by -d 'Meaning of a row' -r -f -a "function\t'A function'
line\t'A line of a function'"
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l sort -d 'The figure to sort by [default: own with --own, else self]' -r -f -a "own\t'Time that counts for own code; needs --own'
self\t'Time in the function itself'
total\t'Time in the function and its callees'"
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l percent-of -d 'What 100 % is [default: busy; JSON counts all samples, unless this is given]' -r -f -a "busy\t'The samples in which the VM did something; those of idle schedulers are left out'
all\t'All samples, those of idle schedulers too'"
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l event -d 'The event of a perf recording that has several: `cpu-clock`' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l type -d 'The type of samples in a capture that has several: `off-cpu` [default: the first one]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -s d -l duration -d 'Seconds to sample; 0 until Ctrl-C' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -s F -l frequency -d 'Samples per second of each thread\'s CPU time' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l engine -d 'Source of the Erlang stack below C code' -r -f -a "auto\t'`bpf` where the kernel allows it, else `readv`'
bpf\t'Copied in the kernel at the sample itself: exact; needs CAP_BPF and CAP_PERFMON, or root'
readv\t'Read right after the sample; unproven stacks are marked'"
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l min-block -d 'Shortest time without a processor that is in the stacks (off-cpu): 100us, 2ms; shorter ones are counted [default: all are]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l debuginfod -d 'Fetch missing debug files by build id: from URL, else from the servers of DEBUGINFOD_URLS, of this distribution, or of elfutils.org. Servers learn the build ids of the files that the VM runs. Without this option, they are fetched if DEBUGINFOD_URLS is set' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l only-erlang -d 'Count the time of C code for the Erlang function that called it'
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l live -d 'Refresh the table each second, with the last seconds that --duration gives (0: since it began); sort and filter it by keys. Needs a process id and a terminal'
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l addresses -d 'List C functions without a name one by one, by address'
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l include-kernel -d 'Show kernel functions, not just `[kernel]`'
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -l no-debuginfod -d 'Fetch no debug files'
complete -c extrospect -n "__fish_extrospect_using_subcommand top" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -s n -l rows -d 'Rows to show; 0 for all' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -l percent-of -d 'What 100 % is. JSON has the percentages of both' -r -f -a "busy\t'The samples in which the VM did something; those of idle schedulers are left out'
all\t'All samples, those of idle schedulers too'"
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -l event -d 'The event of a perf recording that has several: `cpu-clock`' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -l type -d 'The type of samples in a capture that has several: `off-cpu` [default: the first one]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -s d -l duration -d 'Seconds to sample; 0 until Ctrl-C' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -s F -l frequency -d 'Samples per second of each thread\'s CPU time' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -l engine -d 'Source of the Erlang stack below C code' -r -f -a "auto\t'`bpf` where the kernel allows it, else `readv`'
bpf\t'Copied in the kernel at the sample itself: exact; needs CAP_BPF and CAP_PERFMON, or root'
readv\t'Read right after the sample; unproven stacks are marked'"
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -l min-block -d 'Shortest time without a processor that is in the stacks (off-cpu): 100us, 2ms; shorter ones are counted [default: all are]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -l debuginfod -d 'Fetch missing debug files by build id: from URL, else from the servers of DEBUGINFOD_URLS, of this distribution, or of elfutils.org. Servers learn the build ids of the files that the VM runs. Without this option, they are fetched if DEBUGINFOD_URLS is set' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -l callers -d 'Show the callers of each function, too'
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -l include-kernel -d 'Show kernel functions, not just `[kernel]`'
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -l no-debuginfod -d 'Fetch no debug files'
complete -c extrospect -n "__fish_extrospect_using_subcommand blame" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l new -d 'Captures of the newer version, the same as after `--`' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l history -d 'All captures in a folder (*.pb.gz), by commit: the whole program and chosen functions, with the steps in them' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l function -d 'With --history: a function to follow, as `top` shows it; may be given more than once' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l measure -d 'The figure to compare [default: work if every capture has counted it, else share]' -r -f -a "share\t'Percent of the busy samples'
cpu\t'Processor time per second; needs the same load on both sides'
work\t'Processor time per unit of work that the captures counted'"
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l own -d 'Also count for own code: the innermost function whose source is below DIR' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l source-dir -d 'Folder of the sources: functions that were renamed or moved, and closures that have another number, are found by the commits of its git repository [default: --own, else the current folder]. With --history: whose commits give the order' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -s n -l rows -d 'Rows to show; 0 for no limit. JSON has all rows without it' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l event -d 'The event of a perf recording that has several: `cpu-clock`' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l type -d 'The type of samples in a capture that has several: `off-cpu` [default: the first one]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l format -d 'The output [default: text]' -r -f -a "text\t'A table for a terminal'
json\t'JSON'
markdown\t'A comment for a pull request'
html\t'The table and the flame graph of the difference, or the charts of a history, as one file, for any browser, without a network'"
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l link -d 'With --format markdown: where the page of --format html will be, for a link to it: https://, http:// or a relative path' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l fail-if -d 'Exit with 6 when a condition holds, with 7 when the captures cannot tell: `slower>2%` of any function, `own.slower>0.5pp`, `touched.slower>5%` of those that the commit touched, `whole.slower>3%`, `gc.slower>5%`, `shop:total/1.total.slower>10us/unit`, `Shop.*.new>1pp`. With --history: `slower>history`, `whole.slower>history`, `shop:total/1.self.slower>history`, when the newest commit lies beyond what the commits before it let expect' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l if-unknown -d 'The exit code where a --fail-if cannot tell: 0 (pass) or 6 (fail) [default: 7]' -r -f -a "pass\t'As one that does not hold'
fail\t'As one that holds'"
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l all -d 'Also show functions without a change, the inside of the runtime, and callers that do nothing else'
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l anyway -d 'Also compare captures that are not comparable: with and without time in the kernel, a side of several commits, captures of two projects or of programs without a common function, wrong pairs'
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l paired -d 'The captures were taken in pairs on one machine, one of each side after the other, and are paired by time. The variation that both of a pair share is then left out'
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l json -d 'The same as --format json'
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l markdown -d 'The same as --format markdown'
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -l bisect -d 'Exit as `git bisect run` expects: 0 when no --fail-if can hold, 1 when one holds for certain, 125 when the captures cannot decide, 128 when they never can'
complete -c extrospect -n "__fish_extrospect_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c extrospect -n "__fish_extrospect_using_subcommand import" -s o -l output -d 'Where to write the capture' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand import" -l event -d 'The event of a perf recording that has several: `cpu-clock`' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand import" -l force -d 'Replace the file if it exists'
complete -c extrospect -n "__fish_extrospect_using_subcommand import" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand commit" -l builds -d 'Folder of the project that the VM runs, with its builds: the files in _build, ebin and releases below it are compared by checksum' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand commit" -l assign -d 'Give the capture this commit, branch or tag of the repository there' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand commit" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand commit" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -l format -d 'Format' -r -f -a "pprof\t'The capture itself, which pprof reads: the result of converting another tool\'s profile'
folded\t'One line per stack, for flamegraph.pl and many others'
speedscope\t'For speedscope.app'
firefox\t'For the Firefox Profiler, profiler.firefox.com'
otlp\t'OpenTelemetry\'s profiles, as collectors use them: a protobuf message'
html\t'A flame graph as one file, for any browser, without a network'
perf-map\t'Addresses and names of the Erlang code of a running VM, for perf and others'"
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -l percent-of -d 'With `--format html`: what 100 % is [default: busy]' -r -f -a "busy\t'The samples in which the VM did something; those of idle schedulers are left out'
all\t'All samples, those of idle schedulers too'"
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -l event -d 'The event of a perf recording that has several: `cpu-clock`' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -l type -d 'The type of samples in a capture that has several: `off-cpu` [default: the first one]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -s d -l duration -d 'Seconds to sample; 0 until Ctrl-C' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -s F -l frequency -d 'Samples per second of each thread\'s CPU time' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -l engine -d 'Source of the Erlang stack below C code' -r -f -a "auto\t'`bpf` where the kernel allows it, else `readv`'
bpf\t'Copied in the kernel at the sample itself: exact; needs CAP_BPF and CAP_PERFMON, or root'
readv\t'Read right after the sample; unproven stacks are marked'"
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -l min-block -d 'Shortest time without a processor that is in the stacks (off-cpu): 100us, 2ms; shorter ones are counted [default: all are]' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -l debuginfod -d 'Fetch missing debug files by build id: from URL, else from the servers of DEBUGINFOD_URLS, of this distribution, or of elfutils.org. Servers learn the build ids of the files that the VM runs. Without this option, they are fetched if DEBUGINFOD_URLS is set' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -l lines -d 'With `--format folded`: frames as `name (file:line)`'
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -l include-kernel -d 'Show kernel functions, not just `[kernel]`'
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -l no-debuginfod -d 'Fetch no debug files'
complete -c extrospect -n "__fish_extrospect_using_subcommand export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c extrospect -n "__fish_extrospect_using_subcommand pstack" -l debuginfod -d 'Fetch missing debug files by build id: from URL, else from the servers of DEBUGINFOD_URLS, of this distribution, or of elfutils.org. Servers learn the build ids of the files that the VM runs. Without this option, they are fetched if DEBUGINFOD_URLS is set' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand pstack" -l all -d 'Show dirty schedulers and threads that are no schedulers, too'
complete -c extrospect -n "__fish_extrospect_using_subcommand pstack" -l only-erlang -d 'Show only the frames of Erlang functions and BIFs'
complete -c extrospect -n "__fish_extrospect_using_subcommand pstack" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand pstack" -l no-debuginfod -d 'Fetch no debug files'
complete -c extrospect -n "__fish_extrospect_using_subcommand pstack" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand node" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand node" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand stat" -s d -l duration -d 'Seconds to count; 0 until Ctrl-C' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand stat" -s I -l interval -d 'Print each interval of so many milliseconds, too' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand stat" -s r -l runs -d 'Runs of that duration, one after the other: the mean and the standard deviation of their rates' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand stat" -l per-scheduler -d 'Count in each scheduler, too'
complete -c extrospect -n "__fish_extrospect_using_subcommand stat" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand stat" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand ps" -s n -l rows -d 'Rows to show; 0 for all. JSON has all, unless this is given' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand ps" -l sort -d 'What to sort by, the most first. JSON is in the order of the VM\'s table, unless this is given' -r -f -a "memory\t'Bytes of the process'
mailbox\t'Messages that wait'
reductions\t'Reductions of its life'
binaries\t'Bytes of the binaries that it holds outside of its heap'"
complete -c extrospect -n "__fish_extrospect_using_subcommand ps" -l by -d 'Groups of processes, the most heap first, with the unused part and the garbage of their heaps' -r -f -a "name\t'Registered name, else label, else initial call'
label\t'Label'
initial-call\t'The function they were started with'"
complete -c extrospect -n "__fish_extrospect_using_subcommand ps" -l look-into -d 'With --by: processes of each of the 20 largest groups whose heaps are inspected for garbage, at most 1000' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand ps" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand ps" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c extrospect -n "__fish_extrospect_using_subcommand heap" -l values -d 'Show contents, too: the first messages and the dictionary, shortened'
complete -c extrospect -n "__fish_extrospect_using_subcommand heap" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand heap" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand growth" -s d -l duration -d 'Seconds to watch' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand growth" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand growth" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand waits" -s d -l duration -d 'Seconds to watch' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand waits" -s o -l output -d 'File to write, a profile of the time that processes wait' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand waits" -s f -l force -d 'Replace the file if it exists'
complete -c extrospect -n "__fish_extrospect_using_subcommand waits" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand waits" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand nodes" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand nodes" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand memory" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand memory" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand binaries" -s n -l rows -d 'Rows of each table, at most 1000. JSON has all of these, unless this is given' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand binaries" -l look-into -d 'Processes, those that hold most, whose heaps are looked through for parts of binaries, at most 200' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand binaries" -l json -d 'Print JSON'
complete -c extrospect -n "__fish_extrospect_using_subcommand binaries" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand dump" -l what -d 'The part of the data to write' -r -f -a "code\t'Named ranges of JIT code with their lines'
atoms\t'Names of atoms in the order of their index'
processes\t'The process table'
stacks\t'The Erlang stacks of processes that do not run, word by word, and the frames found'
queues\t'How many processes and ports wait to be run'
anchors\t'The addresses of structs by their symbols, and by their shape'"
complete -c extrospect -n "__fish_extrospect_using_subcommand dump" -l format -d 'Format: one JSON object per line' -r -f -a "json\t'One JSON object per line'"
complete -c extrospect -n "__fish_extrospect_using_subcommand dump" -l limit -d 'Lines to write at most, the first and the last apart' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand dump" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c extrospect -n "__fish_extrospect_using_subcommand look" -l here -d 'In this very process, which cannot be given up then'
complete -c extrospect -n "__fish_extrospect_using_subcommand look" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand sampler" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand editor-compare" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand serve" -l session -d 'Makes the conversation resumable over another connection, under this name: 32 hexadecimal digits' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand serve" -l resume -d 'Resume what another `serve` holds under that name' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand serve" -l keep-for -d 'Seconds for which a session waits for a client to come back' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand serve" -l stdio -d 'Use stdin and stdout, the only transport'
complete -c extrospect -n "__fish_extrospect_using_subcommand serve" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand install" -l to -d 'Folder for it, writable for root alone' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand install" -l group -d 'The group that may start it; created if missing' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand install" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand uninstall" -l from -d 'Folder that it is in' -r -F
complete -c extrospect -n "__fish_extrospect_using_subcommand uninstall" -l group -d 'The group, for --purge' -r
complete -c extrospect -n "__fish_extrospect_using_subcommand uninstall" -l purge -d 'Remove the group, too'
complete -c extrospect -n "__fish_extrospect_using_subcommand uninstall" -s h -l help -d 'Print help'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "list" -d 'List the Erlang VMs on this machine'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "doctor" -d 'Check the requirements of sampling, and with a process id whether that VM can be read'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "events" -d 'Show the events that can be recorded here, the reasons for others, and their cost; with a process id, of that VM'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "record" -d 'Record a capture of a running VM'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "detached" -d 'Captures that continue in the background (`record --detach`): list, stop, fetch or remove them'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "push" -d 'Send a capture, or another tool\'s profile, to a store of continuous profiles (Pyroscope, or any that takes OTLP profiles)'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "top" -d 'Show the functions that use the CPU'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "blame" -d 'Show which Erlang functions cause the time spent in a C function or group of them'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "diff" -d 'Compare captures of two versions: the changes, and whether they are significant'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "import" -d 'Convert a profile of another tool to a capture: perf.data, perf script text, folded stacks, eflambe, speedscope, .cpuprofile, JSON of samply and the Firefox Profiler, OTLP profiles. Other commands open them as they are, too'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "commit" -d 'Show the commit of a capture, compare its modules with the builds of a workspace, and assign a commit to a capture that was taken elsewhere'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "export" -d 'Write a capture, or the code map of a VM, in another tool\'s format'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "pstack" -d 'Show the current stack of each scheduler of a running VM'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "node" -d 'Show a running VM as a whole: schedulers, run queues, the fill of its tables'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "stat" -d 'Count what happens in a running VM, without samples: collections, reductions, switches, page faults'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "ps" -d 'Show the processes of a running VM: names, mailboxes, memory, current functions'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "heap" -d 'Show the heap of an Erlang process: its live part, and what keeps it alive'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "growth" -d 'Show what grows in a running VM while it is watched: processes, mailboxes, binaries, tables, atoms'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "waits" -d 'Show where the processes of a running VM wait, by stack, and write the waits as a profile'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "nodes" -d 'Show the nodes that a running VM knows: its cluster, connected or not'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "memory" -d 'Show the memory of a running VM by purpose: its allocators, their free memory, its ETS tables'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "binaries" -d 'Show which processes hold the binaries of a running VM, which have allocated them, and which binaries small parts keep alive'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "dump" -d 'Write the data read from a VM, one JSON object per line, for other tools to check'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "look" -d 'Look at one VM for `list`, which gives up a look that takes too long'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "sampler" -d 'Sample for the process that started it, as ordered on stdin'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "editor-compare" -d 'Compare captures for the editor that started it, which sends them on stdin'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "serve" -d 'Serve an editor: JSON-RPC on stdin and stdout'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "install" -d 'Install a copy with the rights that sampling needs, for the members of a group (root only)'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "uninstall" -d 'Remove the copy that `install` made (root only)'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and not __fish_seen_subcommand_from list doctor events record detached push top blame diff import commit export pstack node stat ps heap growth waits nodes memory binaries dump look sampler editor-compare serve install uninstall help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and __fish_seen_subcommand_from detached" -f -a "list" -d 'List them: yours, on this machine'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and __fish_seen_subcommand_from detached" -f -a "stop" -d 'End one; returns when its capture is complete'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and __fish_seen_subcommand_from detached" -f -a "fetch" -d 'Copy the samples recorded so far, also while it runs'
complete -c extrospect -n "__fish_extrospect_using_subcommand help; and __fish_seen_subcommand_from detached" -f -a "remove" -d 'Remove one that has ended, with its capture'
