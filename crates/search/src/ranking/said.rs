//! Entries whose string literals say a message that the query quotes.

use rustc_hash::FxHashMap;

use crate::messages::LEAST_WORDS;
use crate::query::Query;
use crate::scoring::Met;
use crate::terms::LITERAL;

/// Share of the weight of a message that a literal must say.
const LEAST_SHARE: f64 = 0.4;

/// How far the literals of entries say one of the messages, 0 to 1, by number of the entry. `met` holds what each term
/// of the query met.
pub(crate) fn score_messages(query: &Query, met: &[Met]) -> FxHashMap<u32, f32> {
    let mut best: FxHashMap<u32, f32> = FxHashMap::default();
    for message in &query.messages {
        let mut sums: FxHashMap<u32, (f64, usize)> = FxHashMap::default();
        let mut all = 0.0;
        for &term in message {
            let Some(&Met { ref entries, rarity, .. }) = met.get(term) else { continue };
            let mut anywhere = false;
            for (entry, ..) in entries.iter().filter(|(.., counts)| counts.0[LITERAL] > 0) {
                anywhere = true;
                let sum = sums.entry(*entry).or_default();
                *sum = (sum.0 + rarity, sum.1 + 1);
            }
            // What no literal says was put in when the message was made.
            all += if anywhere { rarity } else { 0.0 };
        }
        for (entry, (sum, count)) in sums {
            let share = sum / all;
            if count >= LEAST_WORDS && share >= LEAST_SHARE {
                let value = best.entry(entry).or_default();
                *value = value.max((share * share) as f32);
            }
        }
    }
    best
}
