//! Captures of a program that is made of numbers: how often each function runs, how its phases last,
//! how runs differ. The truth about it is known, so verdicts can be compared with it.
#![allow(dead_code, missing_docs, clippy::expect_used)]

use capture::facts::{BuildFacts, CaptureSettings, HostFacts, OriginFacts, TargetFacts, WorkFacts};
use capture::own::{OwnCode, OwnFunction, OwnSource};
use capture::quality::QualityRecord;
use capture::reader::Capture;
use capture::sample::{FrameKind, FunctionFacts, SampleClass, SampleLabels, SchedulerId, Trust};
use capture::writer::{CaptureWriter, LocationId};
use compare::{CaptureToCompare, Side};

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.next();
        }
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Of mean 0 and deviation 1.
    pub fn normal(&mut self) -> f64 {
        let (a, b) = (self.unit().max(1e-12), self.unit());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }
}

#[derive(Clone)]
pub struct Function {
    pub name: String,
    pub weight: f64,
    /// The nearest first; empty for one of six servers below a loop.
    pub callers: Vec<String>,
    pub class: SampleClass,
}

impl Function {
    pub fn new(name: &str, weight: f64) -> Self {
        Self {
            name: name.to_owned(),
            weight,
            callers: Vec::new(),
            class: SampleClass::Erlang,
        }
    }

    pub fn below(mut self, callers: &[&str]) -> Self {
        self.callers = callers.iter().map(|&name| name.to_owned()).collect();
        self
    }

    pub fn of_class(mut self, class: SampleClass) -> Self {
        self.class = class;
        self
    }
}

/// The program that the captures are taken of, and how.
#[derive(Clone)]
pub struct Program {
    pub functions: Vec<Function>,
    /// Deviation of each function's weight from run to run, relative.
    pub spread: f64,
    /// How much of a function's time comes in phases of half a second, from 0 to 1.
    pub phases: f64,
    pub seconds: u64,
    pub frequency_hz: u64,
    /// The unit of its work that it counts.
    pub work: Option<String>,
    /// The lines that functions begin on, where it matters.
    pub heads: Vec<(String, u32)>,
    /// What the names of its source files begin with.
    pub folder: String,
    /// The commit that it was built from.
    pub origin: Option<OriginFacts>,
    /// Name of the host and model of its processor.
    pub host: Option<(String, String)>,
    /// Frequency of its processor: mean, lowest, highest.
    pub mhz: Option<[u32; 3]>,
    /// A digit of the MD5 of each module that it knows of.
    pub builds: Vec<(String, char)>,
    /// It does nothing, so that its captures have no samples.
    pub is_idle: bool,
}

impl Program {
    /// Sixty functions, the largest with about 15 %, the smallest with 0.02 %.
    pub fn ordinary() -> Self {
        let weight = |number: i32| 0.9f64.powi(number);
        let function = |number| Function::new(&format!("shop:work_{number}/1"), weight(number));
        Self {
            functions: (0..60).map(function).collect(),
            spread: 0.02,
            phases: 0.3,
            seconds: 10,
            frequency_hz: 499,
            work: None,
            heads: Vec::new(),
            folder: "src/".to_owned(),
            origin: None,
            host: None,
            mhz: None,
            builds: Vec::new(),
            is_idle: false,
        }
    }

    /// As of a commit of a repository.
    pub fn of_commit(mut self, repository: &str, commit: &str) -> Self {
        self.origin = Some(OriginFacts {
            repository: repository.to_owned(),
            commit: commit.repeat(40 / commit.len()),
            ..OriginFacts::default()
        });
        self
    }

    pub fn scale(mut self, number: usize, factor: f64) -> Self {
        self.functions[number].weight *= factor;
        self
    }

    /// The same, which does this, too.
    pub fn with(mut self, functions: &[Function]) -> Self {
        self.functions.extend(functions.iter().cloned());
        self
    }

    /// The same with these lines of heads.
    pub fn at(mut self, heads: &[(&str, u32)]) -> Self {
        let heads = heads.iter().map(|&(name, line)| (name.to_owned(), line));
        self.heads.extend(heads);
        self
    }

    pub fn counting(mut self, work: &str) -> Self {
        self.work = Some(work.to_owned());
        self
    }

    /// The units that a program completes in a second if it has always something to do: the more, the
    /// less one takes.
    pub fn units_each_second(&self) -> f64 {
        let weights = self.functions.iter().map(|function| function.weight);
        10_000.0 / weights.sum::<f64>()
    }

    /// The same with builds of these modules.
    pub fn built(mut self, builds: &[(&str, char)]) -> Self {
        let builds = builds.iter();
        self.builds = builds
            .map(|&(module, digit)| (module.to_owned(), digit))
            .collect();
        self
    }

    /// The same on a machine on which all takes this many times as long.
    pub fn on_machine(mut self, factor: f64) -> Self {
        for function in &mut self.functions {
            function.weight *= factor;
        }
        self
    }

    pub fn rename(mut self, number: usize, name: &str) -> Self {
        self.functions[number].name = name.to_owned();
        self
    }

    pub fn capture(&self, seed: u64) -> Capture {
        Capture::from_bytes(&self.capture_bytes(seed)).expect("what the writer writes can be read")
    }

    pub fn capture_bytes(&self, seed: u64) -> Vec<u8> {
        let start_unix_ms = 1_700_000_000_000 + seed * 60_000;
        let work = self.work.as_ref().map(|name| WorkFacts {
            name: name.clone(),
            at_start: 1e6,
            start_unix_ms,
            at_end: Some(1e6 + self.units_each_second() * self.seconds as f64),
            end_unix_ms: start_unix_ms + self.seconds * 1000,
            problem: String::new(),
        });
        self.written(seed, work, &QualityRecord::default())
    }

    /// The same, with this record of its quality.
    pub fn capture_bytes_of(&self, seed: u64, quality: &QualityRecord) -> Vec<u8> {
        self.written(seed, None, quality)
    }

    /// The same, with this record of its work.
    pub fn capture_bytes_with(&self, seed: u64, work: WorkFacts) -> Vec<u8> {
        self.written(seed, Some(work), &QualityRecord::default())
    }

    fn written(&self, seed: u64, work: Option<WorkFacts>, quality: &QualityRecord) -> Vec<u8> {
        let mut random = Random::new(seed);
        let settings = CaptureSettings {
            frequency_hz: self.frequency_hz as u32,
            event: "cpu-clock".into(),
            engine: "bpf".into(),
            started_unix_ns: 1_700_000_000_000_000_000 + seed * 60_000_000_000,
            ..CaptureSettings::default()
        };
        let target = TargetFacts {
            otp_release: "27".into(),
            flavor: "jit".into(),
            host: self
                .host
                .as_ref()
                .map_or_else(String::new, |(name, _)| name.clone()),
            ..TargetFacts::default()
        };
        let mut writer = CaptureWriter::new(target, settings);
        let stacks: Vec<Vec<LocationId>> = self
            .functions
            .iter()
            .enumerate()
            .map(|(number, function)| self.stack(&mut writer, number, function))
            .collect();
        let weights: Vec<f64> = self
            .functions
            .iter()
            .map(|function| function.weight * (self.spread * random.normal()).exp())
            .collect();
        let mut phase: Vec<f64> = weights.iter().map(|_| 1.0).collect();
        let samples = match self.is_idle {
            true => 0,
            false => self.seconds * self.frequency_hz,
        };
        for number in 0..samples {
            let time_ns = number * 1_000_000_000 / self.frequency_hz;
            if number % (self.frequency_hz / 2) == 0 {
                phase
                    .iter_mut()
                    .for_each(|factor| *factor = (self.phases * random.normal()).exp());
            }
            let chosen = choose(&weights, &phase, &mut random);
            let labels = SampleLabels {
                class: self.functions[chosen].class,
                ..labels()
            };
            writer.add_sample(time_ns, &labels, &stacks[chosen], 1);
        }
        if let Some(work) = work {
            writer.set_work(work);
        }
        self.write_facts(&mut writer);
        writer.take_increment(self.seconds * 1_000_000_000, quality)
    }

    /// Writes the facts of the machine, of the code and of the origin.
    fn write_facts(&self, writer: &mut CaptureWriter) {
        if self.host.is_some() || self.mhz.is_some() {
            let cpu_model = self.host.as_ref().map(|(_, cpu_model)| cpu_model.clone());
            writer.set_host(HostFacts {
                cpu_model: cpu_model.unwrap_or_default(),
                mhz: self.mhz,
                ..HostFacts::default()
            });
        }
        if !self.builds.is_empty() {
            let md5 = |digit: &char| digit.to_string().repeat(32);
            let modules = self.builds.iter();
            writer.set_build(BuildFacts {
                modules: modules
                    .map(|(module, digit)| (module.clone(), md5(digit)))
                    .collect(),
                ..BuildFacts::default()
            });
        }
        if let Some(origin) = &self.origin {
            writer.set_origin(origin.clone());
        }
    }

    /// The function below its callers, or one of six, and all below one loop.
    fn stack(
        &self,
        writer: &mut CaptureWriter,
        number: usize,
        function: &Function,
    ) -> Vec<LocationId> {
        let mut names = vec![function.name.clone()];
        match function.callers.is_empty() {
            true => names.extend([format!("shop:serve_{}/2", number % 6), "shop:loop/1".into()]),
            false => names.extend(function.callers.iter().cloned()),
        }
        let location = |name: &String| {
            let function = writer.intern_function(&self.facts(name));
            writer.intern_location(function, 12)
        };
        names.iter().map(location).collect()
    }

    /// A name with a module is Erlang, any other is C.
    fn facts(&self, name: &str) -> FunctionFacts {
        let mut heads = self.heads.iter();
        let head = heads.find(|(head, _)| head == name);
        let of_erlang = |module: &str| FunctionFacts {
            name: name.into(),
            raw_name: name.into(),
            kind: FrameKind::Erlang,
            file: format!("{}{module}.erl", self.folder),
            head_line: head.map_or(10, |(_, line)| *line),
            object: "[erlang]".into(),
        };
        match name.split_once(':') {
            Some((module, _)) => of_erlang(module),
            None => FunctionFacts {
                kind: FrameKind::Native,
                file: String::new(),
                head_line: 0,
                object: "beam.smp".into(),
                ..of_erlang("")
            },
        }
    }
}

fn choose(weights: &[f64], phase: &[f64], random: &mut Random) -> usize {
    let all: f64 = weights
        .iter()
        .zip(phase)
        .map(|(weight, phase)| weight * phase)
        .sum();
    let mut left = random.unit() * all;
    for (position, (weight, phase)) in weights.iter().zip(phase).enumerate() {
        left -= weight * phase;
        if left <= 0.0 {
            return position;
        }
    }
    weights.len() - 1
}

pub fn labels() -> SampleLabels {
    SampleLabels {
        thread_id: 7,
        thread_name: "1_scheduler".into(),
        scheduler: Some(SchedulerId::Normal(1)),
        erlang_pid: Some("<0.100.0>".into()),
        process_name: Some("shop".into()),
        class: SampleClass::Erlang,
        trust: Trust::Captured,
        off_cpu: None,
    }
}

pub fn side<'a>(name: &str, captures: &'a [Capture]) -> Side<'a> {
    let captures = captures
        .iter()
        .enumerate()
        .map(|(number, capture)| CaptureToCompare {
            name: format!("{name} {}", number + 1),
            capture,
            own: None,
        });
    Side {
        name: name.to_owned(),
        captures: captures.collect(),
    }
}

/// Which functions are the user's own: those of these modules.
pub fn own_code(capture: &Capture, modules: &[&str]) -> OwnCode {
    let own = |index| {
        let module = capture.function(index).name.split_once(':')?.0;
        modules.contains(&module).then_some(OwnFunction {
            counts_for: index,
            source: OwnSource::AsReported,
        })
    };
    OwnCode::new(capture.function_indices().map(own).collect())
}
