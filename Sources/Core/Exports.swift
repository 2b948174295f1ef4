@_exported public import AshlarBase
