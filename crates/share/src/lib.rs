//! Parts of an index in an object store: pushed once, signed, and pulled by everyone else.
