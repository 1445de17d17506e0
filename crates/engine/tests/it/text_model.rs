//! The model that the user names.

use std::sync::Arc;

use m1nd_base::Cancel;
use m1nd_engine::LocalModel;
use tempfile::TempDir;

use crate::tiny_model::model;

#[test]
fn vectors_are_kept_and_do_not_depend_on_the_order_of_texts() {
    let folder = TempDir::new().expect("a folder");
    model(folder.path());
    let local = Arc::new(LocalModel::new(folder.path().into()));
    let ask = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        local.vectors(&texts, &Cancel::new()).expect("not cancelled").expect("a model")
    };
    let (first, second) = (ask(&["dog", "kitty", "dog"]), ask(&["kitty", "dog"]));
    assert_eq!(first[0], second[1]);
    assert!(Arc::ptr_eq(&first[1], &second[0]), "kept");
}
