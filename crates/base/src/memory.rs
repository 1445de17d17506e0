//! Memory that the program freed and the allocator kept.

/// Gives memory back to the system that was freed but kept by the C library for later: after work that took much of it
/// once, it would count as memory of this process as long as it runs. Takes milliseconds. Does nothing where the C
/// library is another.
pub fn release() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #[expect(unsafe_code, reason = "the only way to tell the C library")]
        // SAFETY: may be called at any time and from any thread; it touches no block that is in use.
        unsafe {
            libc::malloc_trim(0);
        }
    }
}
