// Tells the thread sanitizer of the locks that it cannot see. Swift's Mutex takes and gives up a contended lock inside its library, which is
// built without the sanitizer: whatever a Mutex guards would then look like a race. Preloaded by scripts/sanitize into the tests.
//
// Source: swift/stdlib/public/Synchronization/Mutex/LinuxImpl.swift: without contention both are compiled into the caller, where they are seen.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Missing in processes without the sanitizer, which inherit the preload as well.
__attribute__((weak)) void __tsan_acquire(void *lock);
__attribute__((weak)) void __tsan_release(void *lock);

SWIFT void lock_slowly(uint32_t thread, SELF void *lock) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void unlock_slowly(SELF void *lock) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void lock_slowly(uint32_t thread, SELF void *lock) {
    SWIFT void (*real)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    real(thread, lock);
    if (__tsan_acquire) __tsan_acquire(lock);
}

SWIFT void unlock_slowly(SELF void *lock) {
    SWIFT void (*real)(SELF void *) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    if (__tsan_release) __tsan_release(lock);
    real(lock);
}
