//! Pools.
use std::collections::HashMap;
use crate::conn::{Conn, Error as ConnError};

/// A pool.
#[derive(Debug, Clone)]
pub struct Pool<T: Conn> {
    items: HashMap<String, T>,
    pub size: usize,
}

pub trait Close {
    fn close(&mut self) -> Result<(), ConnError>;
}

impl<T: Conn> Close for Pool<T> {
    fn close(&mut self) -> Result<(), ConnError> {
        for (_, item) in self.items.iter_mut() {
            item.ping()?;
        }
        let found = self.items.values().find(|item| item.ok());
        match found {
            Some(item) if item.id() > 1 => log::info!("{}", item.id()),
            _ => {}
        }
        Ok(())
    }
}

pub enum Mode {
    Fast(u8),
    Slow { by: u8 },
}

macro_rules! twice {
    ($e:expr) => {
        ($e, $e)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() {
        assert_eq!(twice!(1), (1, 1));
    }
}
