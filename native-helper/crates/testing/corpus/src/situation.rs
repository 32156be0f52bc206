//! Raw samples of one kind and the stacks they resolve to.

use crate::codec::{CorpusError, Decoder, Encoder};

/// The stack that is shown of a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownStack {
    /// How its Erlang part is known: `captured`, `validated`, `bracketed`, `unproven`, `no_process`.
    pub trust: String,
    /// `KIND NAME:LINE` of each frame, leaf first.
    pub frames: Vec<String>,
}

/// One raw sample, encoded as the readers queue it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SituationSample {
    /// As a batch holds it.
    pub words: Vec<u64>,
    /// The stack that the resolver itself showed when the corpus was made: a golden master. It shows that something has
    /// changed, not that it was right; `test/accuracy` shows that.
    pub golden: ShownStack,
}

/// Samples of one situation, in the order they were taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Situation {
    /// For messages: `gc`, `deep`.
    pub name: String,
    /// The samples.
    pub samples: Vec<SituationSample>,
}

impl Situation {
    /// Reads a file of the corpus.
    ///
    /// # Errors
    /// When it is damaged or something else.
    pub fn decode(file: &[u8]) -> Result<Self, CorpusError> {
        let mut decoder = Decoder::new(file)?;
        let name = decoder.text()?;
        let count = decoder.count()?;
        let mut samples = Vec::with_capacity(count);
        for _ in 0..count {
            let words = target_memory::bytes_to_words(&decoder.bytes()?).collect();
            let trust = decoder.text()?;
            let frames = (0..decoder.count()?)
                .map(|_| decoder.text())
                .collect::<Result<_, _>>()?;
            samples.push(SituationSample {
                words,
                golden: ShownStack { trust, frames },
            });
        }
        Ok(Self { name, samples })
    }

    /// The file.
    ///
    /// # Errors
    /// Never with memory to spare.
    pub fn encode(&self) -> Result<Vec<u8>, CorpusError> {
        let mut encoder = Encoder::default();
        encoder.text(&self.name).number(self.samples.len() as u64);
        for sample in &self.samples {
            let bytes: Vec<u8> = sample
                .words
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect();
            encoder.bytes(&bytes).text(&sample.golden.trust);
            encoder.number(sample.golden.frames.len() as u64);
            for frame in &sample.golden.frames {
                encoder.text(frame);
            }
        }
        encoder.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn contents_come_back_and_damage_is_reported() {
        let situation = Situation {
            name: "gc".into(),
            samples: vec![SituationSample {
                words: vec![1, u64::MAX],
                golden: ShownStack {
                    trust: "captured".into(),
                    frames: vec!["erlang m:f/1:7".into()],
                },
            }],
        };
        let mut file = situation.encode().unwrap();
        assert_eq!(Situation::decode(&file).unwrap(), situation);
        let middle = file.len() / 2;
        file[middle] ^= 0x10;
        assert!(Situation::decode(&file).is_err());
    }

    proptest! {
        #[test]
        fn garbage_is_an_error(bytes: Vec<u8>) {
            prop_assert!(Situation::decode(&bytes).is_err());
        }
    }
}
