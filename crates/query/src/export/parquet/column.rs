//! Columns: their kinds in the schema, and the values of a row group.

use std::borrow::Cow;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::{Type, TypePtr};

/// Kind of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// A text.
    Text,
    /// A text, or nothing.
    OptionalText,
    /// A number of 32 bits.
    Number,
    /// A number of 64 bits.
    Long,
    /// Yes or no.
    Flag,
    /// Numbers of 32 bits, in order.
    Numbers,
}

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Kind of its values.
    pub kind: ColumnKind,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'v> {
    /// For [`ColumnKind::Text`] and [`ColumnKind::OptionalText`].
    Text(Cow<'v, str>),
    /// For [`ColumnKind::OptionalText`].
    Nothing,
    /// For [`ColumnKind::Number`].
    Number(u32),
    /// For [`ColumnKind::Long`].
    Long(u64),
    /// For [`ColumnKind::Flag`].
    Flag(bool),
    /// For [`ColumnKind::Numbers`].
    Numbers(Vec<u32>),
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(text: &'v str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<'v> From<Cow<'v, str>> for Value<'v> {
    fn from(text: Cow<'v, str>) -> Self {
        Self::Text(text)
    }
}

impl<'v, T: Into<Value<'v>>> From<Option<T>> for Value<'v> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Into::into)
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        Self::Long(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<Vec<u32>> for Value<'_> {
    fn from(numbers: Vec<u32>) -> Self {
        Self::Numbers(numbers)
    }
}

impl Column {
    /// The column in the schema.
    pub(super) fn to_type(self) -> Result<TypePtr, ParquetError> {
        let text = |repetition| {
            Type::primitive_type_builder(self.name, Physical::BYTE_ARRAY)
                .with_logical_type(Some(LogicalType::String))
                .with_repetition(repetition)
                .build()
        };
        let plain =
            |name, physical| Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED).build();
        Ok(Arc::new(match self.kind {
            ColumnKind::Text => text(Repetition::REQUIRED)?,
            ColumnKind::OptionalText => text(Repetition::OPTIONAL)?,
            ColumnKind::Number => plain(self.name, Physical::INT32)?,
            ColumnKind::Long => plain(self.name, Physical::INT64)?,
            ColumnKind::Flag => plain(self.name, Physical::BOOLEAN)?,
            ColumnKind::Numbers => {
                let list = Type::group_type_builder("list")
                    .with_repetition(Repetition::REPEATED)
                    .with_fields(vec![Arc::new(plain("element", Physical::INT32)?)])
                    .build()?;
                Type::group_type_builder(self.name)
                    .with_repetition(Repetition::REQUIRED)
                    .with_logical_type(Some(LogicalType::List))
                    .with_fields(vec![Arc::new(list)])
                    .build()?
            }
        }))
    }
}

/// The values of a column of one row group.
#[derive(Debug)]
pub(super) enum Values {
    Text(Vec<ByteArray>),
    OptionalText { present: Vec<ByteArray>, levels: Vec<i16> },
    Number(Vec<i32>),
    Long(Vec<i64>),
    Flag(Vec<bool>),
    Numbers { elements: Vec<i32>, defined: Vec<i16>, repeated: Vec<i16> },
}

impl Values {
    pub(super) fn new(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Text => Self::Text(Vec::new()),
            ColumnKind::OptionalText => Self::OptionalText { present: Vec::new(), levels: Vec::new() },
            ColumnKind::Number => Self::Number(Vec::new()),
            ColumnKind::Long => Self::Long(Vec::new()),
            ColumnKind::Flag => Self::Flag(Vec::new()),
            ColumnKind::Numbers => Self::Numbers { elements: Vec::new(), defined: Vec::new(), repeated: Vec::new() },
        }
    }

    /// Adds a value and returns its bytes; `None` if it is of another kind.
    pub(super) fn push(&mut self, value: Value<'_>) -> Option<usize> {
        Some(match (self, value) {
            // Texts and what may lack, by levels of definition.
            (Self::Text(all), Value::Text(text)) => {
                let bytes = text.len();
                all.push(ByteArray::from(text.into_owned().into_bytes()));
                bytes
            }
            (Self::OptionalText { present, levels }, Value::Text(text)) => {
                let bytes = text.len();
                present.push(ByteArray::from(text.into_owned().into_bytes()));
                levels.push(1);
                bytes
            }
            (Self::OptionalText { levels, .. }, Value::Nothing) => {
                levels.push(0);
                0
            }
            // Values of a fixed size.
            (Self::Number(all), Value::Number(number)) => {
                all.push(i32::try_from(number).unwrap_or(i32::MAX));
                size_of::<i32>()
            }
            (Self::Long(all), Value::Long(number)) => {
                all.push(i64::try_from(number).unwrap_or(i64::MAX));
                size_of::<i64>()
            }
            (Self::Flag(all), Value::Flag(flag)) => {
                all.push(flag);
                1
            }
            // Lists, by levels of repetition; an empty one has a level and no element.
            (Self::Numbers { elements, defined, repeated }, Value::Numbers(numbers)) => {
                defined.extend(numbers.iter().map(|_| 1));
                repeated.extend((0..numbers.len()).map(|number| i16::from(number > 0)));
                if numbers.is_empty() {
                    defined.push(0);
                    repeated.push(0);
                }
                let bytes = numbers.len() * size_of::<i32>();
                elements.extend(numbers.into_iter().map(|number| i32::try_from(number).unwrap_or(i32::MAX)));
                bytes
            }
            _ => return None,
        })
    }

    /// Writes the values and forgets them.
    pub(super) fn flush(&mut self, mut to: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        // A kind of column each; levels only where a value may lack or repeat.
        match self {
            Self::Text(all) => {
                to.typed::<ByteArrayType>().write_batch(all, None, None)?;
                all.clear();
            }
            Self::OptionalText { present, levels } => {
                to.typed::<ByteArrayType>().write_batch(present, Some(levels), None)?;
                present.clear();
                levels.clear();
            }
            Self::Number(all) => {
                to.typed::<Int32Type>().write_batch(all, None, None)?;
                all.clear();
            }
            Self::Long(all) => {
                to.typed::<Int64Type>().write_batch(all, None, None)?;
                all.clear();
            }
            Self::Flag(all) => {
                to.typed::<BoolType>().write_batch(all, None, None)?;
                all.clear();
            }
            Self::Numbers { elements, defined, repeated } => {
                to.typed::<Int32Type>().write_batch(elements, Some(defined), Some(repeated))?;
                elements.clear();
                defined.clear();
                repeated.clear();
            }
        }
        to.close()
    }
}
