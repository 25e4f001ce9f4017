"""What a person reads: results, tables, progress and failures, in colours where there are any."""
