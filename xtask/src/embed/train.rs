//! Contrastive training: the vector of a description has to be nearer to that of its code than to those of all other
//! codes of the batch, and vice versa (InfoNCE, symmetric), with Adam.

use std::time::Instant;

use m1nd_search::embedding::DIMENSIONS;

use super::bags::{Bags, add_rows};
use super::matrix::{View, multiply};
use super::random::Random;

const SEED: u64 = 20_260_101;
/// Batch size.
const BATCH: usize = 1024;
/// Pairs of one file per batch: the hardest to tell apart.
const SAME_FILE: usize = 4;
/// Softmax temperature of the cosines: the lower, the more the nearest wrong ones count.
const TEMPERATURE: f32 = 0.06;
const RATE: f32 = 2e-3;
/// Share of the learning rate at the end.
const LAST_RATE: f32 = 0.1;
/// Warm-up steps.
const WARM_UP: usize = 50;
/// Decay rates of Adam's moments.
const MOMENTS: (f32, f32) = (0.9, 0.99);
/// Standard deviation of the initial values.
const START: f32 = 0.05;

type Row = [f32; DIMENSIONS];

/// The table during training.
pub(super) struct Rows(Vec<Row>);

impl Rows {
    pub(super) fn row(&self, number: usize) -> &Row {
        &self.0[number]
    }
}

/// Trains a table of `rows` rows.
pub(super) fn train(bags: &Bags, rows: usize, epochs: usize) -> Rows {
    let mut random = Random::new(SEED);
    let mut trainer = Trainer::new(rows, &mut random);
    let started = Instant::now();
    let steps = epochs * (bags.pairs.len() / BATCH);
    for epoch in 0..epochs {
        let (order, mut loss, mut batches) = (order(bags, &mut random), 0.0, 0);
        for batch in order.chunks_exact(BATCH) {
            let progress = trainer.step as f32 / steps.max(1) as f32;
            let rate = RATE * (1.0 - progress * (1.0 - LAST_RATE)) * (trainer.step as f32 / WARM_UP as f32).min(1.0);
            loss += trainer.train(bags, batch, rate);
            batches += 1;
        }
        let seconds = started.elapsed().as_secs_f64();
        println!("pass {}: loss {:.4}, {seconds:.0} s", epoch + 1, loss / batches.max(1) as f32);
    }
    trainer.rows
}

/// All pairs in random order, with some of one file adjacent.
fn order(bags: &Bags, random: &mut Random) -> Vec<u32> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for file in &bags.files {
        let mut pairs = file.clone();
        random.shuffle(&mut pairs);
        groups.extend(pairs.chunks(SAME_FILE).map(<[u32]>::to_vec));
    }
    random.shuffle(&mut groups);
    groups.concat()
}

/// Adam's moments of a row.
#[derive(Clone)]
struct Moments {
    mean: Row,
    square: Row,
    /// Number of updates of the row.
    steps: i32,
}

struct Trainer {
    rows: Rows,
    moments: Vec<Moments>,
    gradients: Vec<Row>,
    /// Whether the row has a gradient in this batch.
    is_touched: Vec<bool>,
    touched: Vec<u32>,
    step: usize,
    scores: Vec<f32>,
}

/// Directions of one side of a batch, and their original lengths.
struct Side {
    directions: Vec<f32>,
    lengths: Vec<f32>,
}

impl Trainer {
    fn new(rows: usize, random: &mut Random) -> Self {
        let start = (0..rows).map(|_| std::array::from_fn(|_| random.normal() * START)).collect();
        let none = Moments { mean: [0.0; DIMENSIONS], square: [0.0; DIMENSIONS], steps: 0 };
        Self {
            rows: Rows(start),
            moments: vec![none; rows],
            gradients: vec![[0.0; DIMENSIONS]; rows],
            is_touched: vec![false; rows],
            touched: Vec::new(),
            step: 1,
            scores: vec![0.0; BATCH * BATCH],
        }
    }

    /// One training step; returns the loss before it.
    fn train(&mut self, bags: &Bags, batch: &[u32], rate: f32) -> f32 {
        let pairs = || batch.iter().map(|pair| &bags.pairs[*pair as usize]);
        let queries = self.side(pairs().map(|pair| &pair.0));
        let codes = self.side(pairs().map(|pair| &pair.1));
        let (query, code) = (queries.view(), codes.view());
        multiply(query, code.transpose(), &mut self.scores);
        let loss = self.scores_to_gradients();
        let scores = View::new(&self.scores, BATCH, BATCH);
        let mut of_queries = vec![0.0; BATCH * DIMENSIONS];
        let mut of_codes = vec![0.0; BATCH * DIMENSIONS];
        multiply(scores, code, &mut of_queries);
        multiply(scores.transpose(), query, &mut of_codes);
        queries.through_length(&mut of_queries);
        codes.through_length(&mut of_codes);
        for (side, gradients) in [(0, &of_queries), (1, &of_codes)] {
            for (pair, gradient) in pairs().zip(gradients.as_chunks::<DIMENSIONS>().0) {
                self.spread(if side == 0 { &pair.0 } else { &pair.1 }, gradient);
            }
        }
        self.move_rows(rate);
        self.step += 1;
        loss
    }

    fn side<'a>(&self, bags: impl Iterator<Item = &'a Vec<(u32, f32)>>) -> Side {
        let mut side = Side { directions: Vec::with_capacity(BATCH * DIMENSIONS), lengths: Vec::with_capacity(BATCH) };
        for bag in bags {
            let mut sum = [0.0; DIMENSIONS];
            add_rows(&self.rows, bag, &mut sum);
            let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-6);
            side.directions.extend(sum.map(|value| value / length));
            side.lengths.push(length);
        }
        side
    }

    /// Converts cosines into gradients; returns the loss of descriptions that seek their code.
    fn scores_to_gradients(&mut self) -> f32 {
        // Cosines are at most 1, so the largest exponent is 0.
        self.scores.iter_mut().for_each(|score| *score = exp((*score - 1.0) / TEMPERATURE));
        let mut columns = vec![0.0f32; BATCH];
        let mut loss = 0.0;
        for (number, row) in self.scores.chunks_exact(BATCH).enumerate() {
            columns.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            loss -= (row[number] / lane_sum(row).max(f32::MIN_POSITIVE)).max(1e-9).ln();
        }
        columns.iter_mut().for_each(|sum| *sum = 1.0 / sum.max(f32::MIN_POSITIVE));
        let scale = 1.0 / (2.0 * BATCH as f32 * TEMPERATURE);
        for (number, row) in self.scores.chunks_exact_mut(BATCH).enumerate() {
            let by_row = 1.0 / lane_sum(row).max(f32::MIN_POSITIVE);
            row.iter_mut().zip(&columns).for_each(|(value, by_column)| *value *= (by_row + by_column) * scale);
            row[number] -= 2.0 * scale;
        }
        loss / BATCH as f32
    }

    fn spread(&mut self, bag: &[(u32, f32)], gradient: &Row) {
        for (row, weight) in bag {
            let row = *row as usize;
            if !self.is_touched[row] {
                self.is_touched[row] = true;
                self.touched.push(row as u32);
            }
            self.gradients[row].iter_mut().zip(gradient).for_each(|(sum, value)| *sum += value * weight);
        }
    }

    /// Updates the rows in the batch with Adam.
    fn move_rows(&mut self, rate: f32) {
        let (keep_mean, keep_square) = MOMENTS;
        for row in self.touched.drain(..) {
            let row = row as usize;
            self.is_touched[row] = false;
            let (moments, gradient) = (&mut self.moments[row], &mut self.gradients[row]);
            moments.steps += 1;
            let mean_scale = rate / (1.0 - keep_mean.powi(moments.steps));
            let square_scale = 1.0 / (1.0 - keep_square.powi(moments.steps));
            let values = self.rows.0[row].iter_mut().zip(gradient.iter_mut());
            let kept = moments.mean.iter_mut().zip(moments.square.iter_mut());
            for ((value, gradient), (mean, square)) in values.zip(kept) {
                *mean = keep_mean * *mean + (1.0 - keep_mean) * *gradient;
                *square = keep_square * *square + (1.0 - keep_square) * *gradient * *gradient;
                *value -= *mean * mean_scale / ((*square * square_scale).sqrt() + 1e-8);
                *gradient = 0.0;
            }
        }
    }
}

impl Side {
    fn view(&self) -> View<'_> {
        View::new(&self.directions, self.lengths.len(), DIMENSIONS)
    }

    /// Backpropagates gradients through the normalisation.
    fn through_length(&self, gradients: &mut [f32]) {
        let directions = self.directions.as_chunks::<DIMENSIONS>().0.iter().zip(&self.lengths);
        for (gradient, (direction, length)) in gradients.as_chunks_mut::<DIMENSIONS>().0.iter_mut().zip(directions) {
            let along: f32 = gradient.iter().zip(direction).map(|(a, b)| a * b).sum();
            gradient
                .iter_mut()
                .zip(direction)
                .for_each(|(value, along_one)| *value = (*value - along * along_one) / length);
        }
    }
}

/// A sum in eight lanes.
fn lane_sum(values: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 8];
    for chunk in values.as_chunks::<8>().0 {
        lanes.iter_mut().zip(chunk).for_each(|(lane, value)| *lane += value);
    }
    lanes.iter().sum()
}

/// `e` to a non-positive power, with a relative error below one ten-thousandth; written so that compilers vectorise
/// it.
pub(super) fn exp(power: f32) -> f32 {
    let scaled = (power * std::f32::consts::LOG2_E).max(-126.0);
    let whole = scaled.floor();
    let part = scaled - whole;
    let polynomial = 1.0
        + part
            * (std::f32::consts::LN_2
                + part * (0.240_226_5 + part * (0.055_504_1 + part * (0.009_618_1 + part * 0.001_333_4))));
    f32::from_bits(((whole as i32 + 127) << 23).cast_unsigned()) * polynomial
}
