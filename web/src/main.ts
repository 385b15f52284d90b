document.title = "Cairn";
