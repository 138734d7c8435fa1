module berth

go 1.26.0
