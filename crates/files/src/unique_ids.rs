//! Collects ids without duplicates.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use crate::error::Result;
use crate::hash_table::reserve_table;
use crate::ids::{Id, Ids, plain_number};
use crate::texts::Texts;
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the ids of a table";

/// The ids of the rows so far: numbers as long as all are.
pub(super) struct UniqueIds {
    list: Ids,
    /// Positions in the list by their ids; empty as long as these ascend, as they usually do.
    seen: HashTable<u32>,
    hasher: RandomState,
}

impl Default for UniqueIds {
    fn default() -> Self {
        Self {
            list: Ids::Numbers(Vec::new()),
            seen: HashTable::new(),
            hasher: RandomState::new(),
        }
    }
}

impl UniqueIds {
    /// Appends an id. Returns `false` if it is a duplicate.
    pub fn add(&mut self, id: &str) -> Result<bool> {
        let count = self.list.len();
        Ok(self.place(id)? as usize == count)
    }

    /// Returns the position of an id in the list, after appending it if it is new.
    pub fn place(&mut self, id: &str) -> Result<u32> {
        let id = match (&self.list, plain_number(id)) {
            (Ids::Numbers(_), Some(number)) => Id::Number(number),
            (Ids::Numbers(_), None) => {
                self.turn_to_texts()?;
                Id::Text(id)
            }
            (Ids::Texts(_), _) => Id::Text(id),
        };
        self.place_id(id)
    }

    /// Appends a number as an id. Returns `false` if it is a duplicate.
    pub fn add_number(&mut self, number: u32) -> Result<bool> {
        let count = self.list.len();
        let place = match self.list {
            Ids::Numbers(_) => self.place_id(Id::Number(number)),
            Ids::Texts(_) => self.place_id(Id::Text(itoa::Buffer::new().format(number))),
        };
        Ok(place? as usize == count)
    }

    fn place_id(&mut self, id: Id) -> Result<u32> {
        let count = self.list.len();
        let last = count.checked_sub(1).map(|last| self.list.get(last));
        if last == Some(id) {
            return Ok(count as u32 - 1);
        }
        if !self.seen.is_empty() || last.is_some_and(|last| last > id) {
            self.note_all()?;
            let hash = self.hasher.hash_one(id);
            let list = &self.list;
            let same = |&position: &u32| list.get(position as usize) == id;
            if let Some(&position) = self.seen.find(hash, same) {
                return Ok(position);
            }
            let hash_of = |&position: &u32| self.hasher.hash_one(list.get(position as usize));
            reserve_table(&mut self.seen, 1, hash_of, WHAT)?;
            self.seen.insert_unique(hash, count as u32, hash_of);
        }
        match (&mut self.list, id) {
            (Ids::Numbers(numbers), Id::Number(number)) => memory::push(numbers, number, WHAT)?,
            (Ids::Texts(texts), Id::Text(text)) => texts.push(text)?,
            _ => unreachable!("a list has ids of one kind"),
        }
        Ok(count as u32)
    }

    /// Inserts the ids so far into the hash table, unless they are already there.
    fn note_all(&mut self) -> Result<()> {
        if !self.seen.is_empty() {
            return Ok(());
        }
        let list = &self.list;
        let hash_of = |&position: &u32| self.hasher.hash_one(list.get(position as usize));
        reserve_table(&mut self.seen, list.len(), hash_of, WHAT)?;
        for position in 0..list.len() as u32 {
            self.seen.insert_unique(hash_of(&position), position, hash_of);
        }
        Ok(())
    }

    /// Converts the ids so far to texts. Each number has only one accepted form, so they stay
    /// distinct.
    pub fn turn_to_texts(&mut self) -> Result<()> {
        if let Ids::Numbers(numbers) = &self.list {
            let (mut texts, mut digits) = (Texts::default(), itoa::Buffer::new());
            for &number in numbers {
                texts.push(digits.format(number))?;
            }
            self.list = Ids::Texts(texts);
            self.seen.clear();
            // As texts they may no longer ascend.
            self.note_all()?;
        }
        Ok(())
    }

    pub fn are_texts(&self) -> bool {
        matches!(self.list, Ids::Texts(_))
    }

    pub fn into_ids(self) -> Ids {
        self.list
    }
}
