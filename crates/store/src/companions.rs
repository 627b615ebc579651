//! What the levels above keep beside an open collection, such as the plans that did well on it.

use parking_lot::RwLock;
use std::any::Any;
use std::sync::Arc;

/// At most one value of each type; they live as long as the collection is open.
#[derive(Default)]
pub(crate) struct Companions(RwLock<Vec<Arc<dyn Any + Send + Sync>>>);

impl Companions {
    /// The value of this type; a default one is made if there is none yet.
    pub(crate) fn get<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        if let Some(present) = of_type(&self.0.read()) {
            return present;
        }
        let mut companions = self.0.write();
        of_type(&companions).unwrap_or_else(|| {
            let made = Arc::<T>::default();
            companions.push(made.clone());
            made
        })
    }
}

fn of_type<T: Any + Send + Sync>(companions: &[Arc<dyn Any + Send + Sync>]) -> Option<Arc<T>> {
    companions.iter().find_map(|one| one.clone().downcast().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_one_value() {
        let companions = Companions::default();
        let number = companions.get::<parking_lot::Mutex<u32>>();
        *number.lock() = 7;
        assert!(companions.get::<String>().is_empty());
        assert_eq!(*companions.get::<parking_lot::Mutex<u32>>().lock(), 7);
    }
}
