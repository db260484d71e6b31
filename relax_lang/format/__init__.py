"""The formatter: trees and their comments to text. `printer` and `safe` are its public modules."""
