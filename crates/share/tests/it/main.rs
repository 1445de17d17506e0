//! Pushing to stores and pulling from them. Real servers of S3 are in `.ci/steps`.

mod hostile;
mod http;
mod place;
mod round_trip;
