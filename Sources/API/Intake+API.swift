import Ingest

extension Intake: SignedFactIntake {}
