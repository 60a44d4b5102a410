import Synchronization

/// One run of the desk's process. Once it is over, whatever its code still calls fails and changes nothing: the crash can fall between
/// any two things that the code does with the outside.
final class Life: Sendable {
    /// What a crash leaves of the step it falls upon.
    enum Step: Sendable {
        case alive
        /// The process is gone already.
        case over
        /// It ends before the step has any effect.
        case endsBefore
        /// The step has its effect, and nobody hears of it.
        case endsAfter
    }
    private struct State {
        var isOver = false
        /// Steps left until the crash; nil while none is planned.
        var fuse: Int64?
        var lastStep = Step.endsBefore
    }
    private let state = Mutex(State())

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Plans the crash so many steps ahead.
    func crash(in steps: Int64, _ lastStep: Step) {
        state.withLock { state in
            state.fuse = steps
            state.lastStep = lastStep
        }
    }

    /// Forgets a crash that is planned.
    func spare() { state.withLock { $0.fuse = nil } }

    /// Called at each write and each request. Whoever gets an ending carries it out.
    func step() -> Step {
        state.withLock { state in
            if state.isOver { return .over }
            guard let fuse = state.fuse else { return .alive }
            state.fuse = fuse - 1
            guard fuse <= 0 else { return .alive }
            state.isOver = true
            return state.lastStep
        }
    }
}
