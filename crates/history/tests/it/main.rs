//! Histories of repositories that the tests write object by object.

mod files;
mod histories;
mod identity;
mod messages;
mod odd;
mod reading;
mod repository;
mod revisions;
mod steps;
mod together;
