//! How people read a container.

use protocol::discovery::ContainerFacts;

/// Longest name, image or namespace that is kept, characters; an image with its digest has some 300.
const MAX_TEXT_CHARS: usize = 400;
/// Ids are shown with as many digits as the runtimes' own tools do.
const SHOWN_ID_DIGITS: usize = 12;

/// `docker shop-1 (registry/shop:1.2)`; of a pod `kubernetes NAMESPACE/POD NAME (IMAGE)`; followed by the container
/// around it, if there is one.
#[must_use]
pub fn label(facts: &ContainerFacts) -> String {
    let mut words = Vec::new();
    if facts.pod.is_some() || facts.pod_uid.is_some() {
        words.push("kubernetes".to_owned());
    } else {
        words.push(facts.runtime.clone());
    }
    if let Some(pod) = &facts.pod {
        let namespace = facts.namespace.as_deref();
        words.push(namespace.map_or_else(|| pod.clone(), |space| format!("{space}/{pod}")));
    }
    match (&facts.name, &facts.id) {
        (Some(name), _) => words.push(name.clone()),
        (None, Some(id)) => words.push(id.chars().take(SHOWN_ID_DIGITS).collect()),
        (None, None) => {}
    }
    if let Some(image) = &facts.image {
        words.push(format!("({})", shown_image(image)));
    }
    if let Some(within) = &facts.within {
        words.push(format!("in {within}"));
    }
    words.join(" ")
}

/// Without the digest where there is a name before it; a digest alone is cut like an id.
fn shown_image(image: &str) -> String {
    const DIGEST: &str = "sha256:";
    match image.split_once(&format!("@{DIGEST}")) {
        Some((name, _)) if !name.is_empty() => name.to_owned(),
        _ => image.strip_prefix(DIGEST).map_or_else(
            || image.to_owned(),
            |digits| digits.chars().take(SHOWN_ID_DIGITS).collect(),
        ),
    }
}

/// Text of a file of another program as one line of a bearable length; `None` when nothing is left of it.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let kept: String = text
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_TEXT_CHARS)
        .collect();
    let kept = kept.trim();
    (!kept.is_empty()).then(|| kept.to_owned())
}
