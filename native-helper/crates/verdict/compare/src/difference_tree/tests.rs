use super::*;

fn stack(is_new: bool, samples: f64, frames: &[NameId]) -> CountedStack {
    CountedStack {
        frames: frames.to_vec(),
        is_new,
        weight: samples,
        samples,
        squares: samples,
    }
}

fn tree(stacks: &[CountedStack]) -> Vec<TreeNode> {
    let all = MayChange {
        whole: true,
        functions: Vec::new(),
    };
    tree_of(stacks, &all)
}

fn tree_of(stacks: &[CountedStack], may_change: &MayChange) -> Vec<TreeNode> {
    let whole = Amounts::of(stacks, 0..stacks.len() as u32);
    let each = |side: usize| 100.0 / whole.samples[side].max(1.0);
    let scale = Scale {
        unit: [each(0), each(1)],
        per_sample: [each(0), each(1)],
        run_variance: 0.0,
    };
    let nodes = grown(stacks, whole, scale, may_change);
    assert_is_whole(&nodes);
    nodes
}

/// A tree, in which no frame has more than its caller.
fn assert_is_whole(nodes: &[TreeNode]) {
    let mut left: Vec<(f64, f64)> = nodes.iter().map(|node| (node.base, node.new)).collect();
    for (at, node) in nodes.iter().enumerate().skip(1) {
        assert!((node.parent as usize) < at, "a parent comes first");
        left[node.parent as usize].0 -= node.base;
        left[node.parent as usize].1 -= node.new;
    }
    for (base, new) in left {
        assert!(base > -1e-6 && new > -1e-6, "{base} {new}");
    }
}

#[test]
fn a_frame_claims_no_more_than_the_table_does_of_its_function() {
    let stacks = [
        stack(false, 500.0, &[0, 1]),
        stack(false, 500.0, &[0, 2]),
        stack(true, 800.0, &[0, 1]),
        stack(true, 200.0, &[0, 3]),
    ];
    let unchanged = MayChange {
        whole: false,
        functions: vec![false; 4],
    };
    let nodes = tree_of(&stacks, &unchanged);
    let of = |name| {
        let mut nodes = nodes.iter();
        let node = nodes.find(|node| node.frame == TreeFrame::Function(name));
        node.unwrap().change
    };
    assert_eq!(of(1), FrameChange::None);
    // Of what one side has none of, there is no doubt.
    assert_eq!((of(2), of(3)), (FrameChange::Gone, FrameChange::New));
}

#[test]
fn each_frame_has_what_it_took_on_both_sides() {
    let nodes = tree(&[
        stack(false, 500.0, &[0, 1]),
        stack(false, 500.0, &[0, 2]),
        stack(true, 800.0, &[0, 1]),
        stack(true, 200.0, &[0, 3]),
    ]);
    let found = |frame| nodes.iter().find(|node| node.frame == frame).copied();
    let figures = |name| {
        let node = found(TreeFrame::Function(name)).unwrap();
        (node.base, node.new, node.change)
    };
    assert_eq!(figures(0), (100.0, 100.0, FrameChange::None));
    assert_eq!(figures(1), (50.0, 80.0, FrameChange::More));
    assert_eq!(figures(2), (50.0, 0.0, FrameChange::Gone));
    assert_eq!(figures(3), (0.0, 20.0, FrameChange::New));
    assert!(found(TreeFrame::Folded).is_none());
}

#[test]
fn what_is_too_narrow_is_folded_into_its_caller_and_stays_in_the_sum() {
    let narrow = (1..=50).map(|name| stack(true, 1.0, &[0, name]));
    let mut stacks: Vec<_> = narrow.collect();
    stacks.push(stack(true, 99_950.0, &[0]));
    stacks.push(stack(false, 1.0, &[0]));
    let nodes = tree(&stacks);
    let frames: Vec<_> = nodes.iter().map(|node| node.frame).collect();
    assert_eq!(
        frames,
        [TreeFrame::All, TreeFrame::Function(0), TreeFrame::Folded]
    );
    assert!((nodes[2].new - 0.05).abs() < 1e-9);
    let names = Vec::new();
    let (after, before) = DifferenceTree { names, nodes }.folded_pct();
    assert!((after - 0.05).abs() < 1e-9 && before == 0.0);
}

#[test]
fn the_tree_is_bounded_however_deep_and_wide_the_stacks_are() {
    let deep: Vec<NameId> = (0..50_000).map(|at| at % 7).collect();
    assert!(tree(&[stack(true, 1.0, &deep)]).len() <= MOST_FRAMES + 1);
    // Each takes enough to be seen.
    let wide = (0..900).map(|at| {
        let frames: Vec<NameId> = (0..100).map(|depth| at * 100 + depth).collect();
        stack(at % 2 == 0, 1.0, &frames)
    });
    let nodes = tree(&wide.collect::<Vec<_>>());
    assert!(nodes.len() <= 2 * MOST_FRAMES);
    assert!(nodes.iter().any(|node| node.frame == TreeFrame::Folded));
}

#[test]
fn no_samples_make_a_root_alone() {
    assert_eq!(tree(&[]).len(), 1);
    assert_eq!(tree(&[stack(true, 3.0, &[0])]).len(), 2);
}
