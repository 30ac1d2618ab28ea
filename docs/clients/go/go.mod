module example.com/recruitment

go 1.25
