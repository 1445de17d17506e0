package text

fun String.len(): Int = this.length

fun Map<String, Pool>.first(key: String): Pool? {
    return this[key]
}
